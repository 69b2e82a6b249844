module drive

go 1.22

require github.com/turbopuffer/turbopuffer-go/v2 v2.4.1
